import sqlalchemy as sa, pytest
@pytest.mark.parametrize("n", range(20))
def test_x(database, n):
    with database.read() as c:
        assert c.execute(sa.text("select count(*) from change_counters")).scalar() == 0
def test_y(sqlite_database): sqlite_database.ping()
def test_z(empty_database_url): print(empty_database_url)

"""Opens the dashboard's pages, in Streamlit's test harness or in a browser."""

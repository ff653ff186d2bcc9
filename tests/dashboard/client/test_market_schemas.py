"""The typed dicts have exactly the fields of the service's schemas."""

from typing import get_type_hints

import pytest
from pydantic import BaseModel

from backend.markets import schemas
from dashboard.client import market_schemas

PAIRS = {
    market_schemas.AssetLinks: schemas.AssetLinks,
    market_schemas.AssetUrls: schemas.AssetUrls,
    market_schemas.AssetMetadata: schemas.AssetMetadata,
    market_schemas.Asset: schemas.AssetOut,
    market_schemas.PriceRecord: schemas.PriceRecord,
    market_schemas.RankedToken: schemas.RankedToken,
    market_schemas.FearGreed: schemas.FearGreedOut,
    market_schemas.Total: schemas.Total,
    market_schemas.MarketOverview: schemas.MarketOverview,
    market_schemas.DisplayRate: schemas.DisplayRate,
    market_schemas.DisplayRates: schemas.DisplayRates,
    market_schemas.TotalsPoint: schemas.TotalsPoint,
    market_schemas.TotalsHistory: schemas.TotalsHistory,
    market_schemas.CandleSeries: schemas.CandleSeries,
    market_schemas.ProviderQuote: schemas.ProviderQuote,
    market_schemas.Incident: schemas.Incident,
    market_schemas.MarketIncident: schemas.MarketIncident,
    market_schemas.AssetQuotes: schemas.AssetQuotes,
    market_schemas.FigureFacts: schemas.FigureFacts,
    market_schemas.ProviderStatus: schemas.ProviderStatus,
    market_schemas.MarketStatus: schemas.MarketStatus,
}


@pytest.mark.parametrize(("shape", "model"), PAIRS.items(), ids=lambda pair: pair.__name__)
def test_a_typed_dict_has_the_fields_of_its_schema(shape: type, model: type[BaseModel]) -> None:
    assert set(get_type_hints(shape)) == set(model.model_fields)
    for name, hint in get_type_hints(shape).items():
        nullable = type(None) in getattr(hint, "__args__", ())
        assert nullable == (type(None) in getattr(model.model_fields[name].annotation, "__args__", ())), name

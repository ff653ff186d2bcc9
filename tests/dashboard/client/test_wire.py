"""The typed dicts name exactly the fields of the service's own schemas."""

from typing import get_type_hints

import pytest
from pydantic import BaseModel

from backend.markets import schemas
from dashboard.client import wire

PAIRS = {
    wire.AssetLinks: schemas.AssetLinks,
    wire.AssetUrls: schemas.AssetUrls,
    wire.AssetMetadata: schemas.AssetMetadata,
    wire.Asset: schemas.AssetOut,
    wire.PriceRecord: schemas.PriceRecord,
    wire.RankedToken: schemas.RankedToken,
    wire.FearGreed: schemas.FearGreedOut,
    wire.Total: schemas.Total,
    wire.MarketOverview: schemas.MarketOverview,
    wire.CandleSeries: schemas.CandleSeries,
    wire.ProviderQuote: schemas.ProviderQuote,
    wire.Incident: schemas.Incident,
    wire.MarketIncident: schemas.MarketIncident,
    wire.AssetQuotes: schemas.AssetQuotes,
    wire.FigureFacts: schemas.FigureFacts,
    wire.ProviderStatus: schemas.ProviderStatus,
    wire.MarketStatus: schemas.MarketStatus,
}


@pytest.mark.parametrize(("shape", "model"), PAIRS.items(), ids=lambda pair: pair.__name__)
def test_a_shape_has_the_fields_of_its_schema(shape: type, model: type[BaseModel]) -> None:
    assert set(get_type_hints(shape)) == set(model.model_fields)
    for name, hint in get_type_hints(shape).items():
        nullable = type(None) in getattr(hint, "__args__", ())
        assert nullable == (type(None) in getattr(model.model_fields[name].annotation, "__args__", ())), name

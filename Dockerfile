# One image for every program of Chainproof: the command says which. See docs/scaling.md.
FROM python:3.11-slim AS build
WORKDIR /app
RUN pip install --no-cache-dir --disable-pip-version-check uv && uv venv .venv
COPY pyproject.toml requirements.lock ./
# What the programs need and no more, in the versions and with the digests of the lock. A change of the sources
# leaves this layer as it is.
RUN uv pip install --python .venv --no-cache --compile-bytecode --constraint requirements.lock \
    --extra model --extra otel --extra redis --requirement pyproject.toml
COPY README.md LICENSE ./
COPY docs/api.md docs/rules.md docs/sources.md docs/
COPY backend backend
COPY chainproof chainproof
COPY dashboard dashboard
RUN uv pip install --python .venv --no-cache --compile-bytecode --no-deps .

FROM python:3.11-slim
RUN useradd --uid 10001 --no-create-home --home-dir /data chainproof \
 && mkdir --mode 0700 /data \
 && chown 10001:10001 /data
COPY --from=build /app/.venv /app/.venv
WORKDIR /app
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MALLOC_ARENA_MAX=2 \
    CHAINPROOF_HOME=/data \
    CHAINPROOF_HOST=0.0.0.0 \
    CHAINPROOF_MANAGEMENT_PORT=9000 \
    CHAINPROOF_DASHBOARD_HOST=0.0.0.0 \
    CHAINPROOF_LOG_FORMAT=json
USER 10001:10001
VOLUME /data
EXPOSE 8000 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:9000/healthz', timeout=4)"]
CMD ["chainproof", "serve"]

"""Provides the logo of the service's own pages."""

import base64

MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">'
    '<rect width="32" height="32" rx="7" fill="#0b57d0"/><g fill="none" stroke="#fff" stroke-width="2.9" '
    'stroke-linecap="round" stroke-linejoin="round"><path d="M13.2 9.2h-1.6a6.8 6.8 0 0 0 0 13.6h2.2"/>'
    '<path d="M18.4 9.2h2a6.8 6.8 0 0 1 0 13.6h-1.6"/><path d="M11.4 15.9l3.5 3.5 6-6.6"/></g></svg>'
)
ICON = f"data:image/svg+xml;base64,{base64.b64encode(MARK.encode()).decode()}"

"""One shelf for what is served and called over HTTP: guards, problem documents, bodies, an API, a client."""

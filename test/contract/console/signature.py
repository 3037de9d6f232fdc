"""Signs the requests of schemathesis: `before_call` gives requests an auth that signs what is sent."""

import base64
import hashlib
import hmac
import os
from email.utils import formatdate
from urllib.parse import urlsplit

import schemathesis
from requests.auth import AuthBase

KEYS = ["select", "split", "query", "clusterManagement", "database", "table"]


class Signature(AuthBase):
    def __call__(self, request):
        date = formatdate(usegmt=True)
        url = urlsplit(request.url)
        names = [pair.split("=", 1)[0] for pair in url.query.split("&")]
        key = next((name for name in KEYS if name in names), None)
        resource = url.path + ("" if key is None else f"?{key}")
        content_type = request.headers.get("Content-Type", "")
        if isinstance(content_type, bytes):
            content_type = content_type.decode("latin-1")
        text = f"{request.method}\n\n{content_type}\n\nx-svc-date:{date}\n{resource}"
        digest = hmac.new(os.environ["DAG_SECRET_ACCESS_KEY"].encode(), text.encode(), hashlib.sha1).digest()
        signature = base64.b64encode(digest).decode()
        request.headers["x-svc-date"] = date
        request.headers["Authorization"] = f"IIJGIO {os.environ['DAG_ACCESS_KEY_ID']}:{signature}"
        return request


@schemathesis.hook
def before_call(context, case, kwargs):
    kwargs["auth"] = Signature()

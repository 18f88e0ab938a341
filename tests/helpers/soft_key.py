"""An authenticator of passkeys made of Python, as a phone is one."""

import hashlib
import json
import os
import struct
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import bytes_to_base64url, encode_cbor

_PRESENT, _VERIFIED, _BACKED_UP, _ATTESTED = 0x01, 0x04, 0x08 | 0x10, 0x40


class SoftKey:
    """One passkey: ES256, no attestation, a counter of 0 as those that sync have.

    Args:
        origin: The page that asks; a browser says it truly.
        verifies: Whether it looks at its owner's finger.
    """

    def __init__(self, origin: str, host: str = "", *, verifies: bool = True) -> None:
        self.origin, self.host = origin, host or origin.partition("://")[2].partition(":")[0]
        self.verifies, self.uses, self.user = verifies, 0, ""
        self.key, self.id = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)

    def like(self, **differs: Any) -> "SoftKey":
        """Return the same passkey, except for what is told."""
        other = SoftKey(self.origin, self.host)
        other.__dict__ |= self.__dict__ | differs
        return other

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return what `navigator.credentials.create` does."""
        point = self.key.public_key().public_numbers()
        self.user = options["user"]["id"]
        x, y = point.x.to_bytes(32, "big"), point.y.to_bytes(32, "big")
        public = encode_cbor({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        attested = bytes(16) + struct.pack(">H", len(self.id)) + self.id + public
        data = self._data(_ATTESTED) + attested
        attestation = encode_cbor({"fmt": "none", "attStmt": {}, "authData": data})
        return self._credential(
            clientDataJSON=self._client("webauthn.create", options["challenge"]),
            attestationObject=attestation,
        )

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return what `navigator.credentials.get` does."""
        data = self._data()
        client = self._client("webauthn.get", options["challenge"])
        signed = data + hashlib.sha256(client).digest()
        answer = self._credential(
            clientDataJSON=client,
            authenticatorData=data,
            signature=self.key.sign(signed, ec.ECDSA(hashes.SHA256())),
        )
        answer["response"]["userHandle"] = self.user
        return answer

    def _client(self, kind: str, challenge: str) -> bytes:
        told = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(told).encode()

    def _data(self, more: int = 0) -> bytes:
        flags = _PRESENT | _BACKED_UP | more | (_VERIFIED if self.verifies else 0)
        host = hashlib.sha256(self.host.encode()).digest()
        return host + bytes([flags]) + struct.pack(">I", self.uses)

    def _credential(self, **response: bytes) -> dict[str, Any]:
        name = bytes_to_base64url(self.id)
        return {
            "id": name,
            "rawId": name,
            "type": "public-key",
            "clientExtensionResults": {},
            "response": {part: bytes_to_base64url(raw) for part, raw in response.items()},
        }

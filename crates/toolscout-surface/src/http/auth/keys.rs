//! The public keys of an issuer, and signature verification for `jsonwebtoken` with `ring`,
//! which TLS uses as well.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, new_error};
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::Value;

/// The maximum number of keys of one issuer; more are ignored.
const MAX_KEYS: usize = 100;

/// Verifies RS256, ES256 and EdDSA. Every other algorithm is unsupported, in particular `none`
/// and shared secrets.
pub(super) static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    verifier_factory: |algorithm, key| match (algorithm, key.family()) {
        (Algorithm::RS256, AlgorithmFamily::Rsa)
        | (Algorithm::ES256, AlgorithmFamily::Ec)
        | (Algorithm::EdDSA, AlgorithmFamily::Ed) => {
            Ok(Box::new(RingVerifier(*algorithm, key.clone())))
        }
        _ => Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    },
    key_utils: KeyUtils::new_unimplemented(),
};

struct RingVerifier(Algorithm, DecodingKey);

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let verified =
            match self.1.kind() {
                DecodingKeyKind::RsaModulusExponent { n, e } => RsaPublicKeyComponents { n, e }
                    .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature),
                DecodingKeyKind::SecretOrDer(point) if self.0 == Algorithm::ES256 => {
                    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                        .verify(message, signature)
                }
                DecodingKeyKind::SecretOrDer(point) => {
                    UnparsedPublicKey::new(&ED25519, point).verify(message, signature)
                }
            };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.0
    }
}

/// A key for signatures of exactly one algorithm.
struct IssuerKey {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

/// The keys of an issuer.
#[derive(Default)]
pub(super) struct KeySet(Vec<IssuerKey>);

#[derive(Deserialize)]
struct PublishedKeys {
    keys: Vec<Value>,
}

impl KeySet {
    /// The usable keys of a JWK set; an invalid or unsupported key does not affect the others.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let published: PublishedKeys = serde_json::from_slice(bytes)?;
        Ok(Self(
            published.keys.into_iter().take(MAX_KEYS).filter_map(IssuerKey::from_jwk).collect(),
        ))
    }

    /// The key with this id; without an id, the only key of the algorithm.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let mut usable = self.0.iter().filter(|key| key.algorithm == algorithm);
        let found = match id {
            Some(id) => usable.find(|key| key.id.as_deref() == Some(id)),
            None => usable.next().filter(|_| usable.next().is_none()),
        };
        found.map(|found| found.key.clone())
    }
}

impl IssuerKey {
    fn from_jwk(mut jwk: Value) -> Option<Self> {
        // Some issuers pad numbers, which the standard forbids.
        for field in ["n", "e", "x", "y"] {
            if let Some(Value::String(number)) = jwk.get_mut(field) {
                number.truncate(number.trim_end_matches('=').len());
            }
        }
        // RFC 9864 uses this name for the algorithm that `jsonwebtoken` calls `EdDSA`.
        if jwk["alg"] == "Ed25519" {
            jwk["alg"] = "EdDSA".into();
        }
        let jwk: Jwk = serde_json::from_value(jwk).ok()?;
        let key = DecodingKey::from_jwk(&jwk).ok()?;
        let (algorithm, length) = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => (Algorithm::RS256, None),
            AlgorithmParameters::EllipticCurve(point) if point.curve == EllipticCurve::P256 => {
                (Algorithm::ES256, Some(65))
            }
            AlgorithmParameters::OctetKeyPair(point) if point.curve == EllipticCurve::Ed25519 => {
                (Algorithm::EdDSA, Some(32))
            }
            _ => return None,
        };
        let has_full_length = length
            .is_none_or(|length| key.try_get_as_bytes().is_ok_and(|bytes| bytes.len() == length));
        let is_for_signatures =
            jwk.common.public_key_use.is_none_or(|purpose| purpose == PublicKeyUse::Signature);
        let is_for_algorithm =
            jwk.common.key_algorithm.is_none_or(|named| named == KeyAlgorithm::from(algorithm));
        (has_full_length && is_for_signatures && is_for_algorithm).then_some(Self {
            id: jwk.common.key_id,
            algorithm,
            key,
        })
    }
}

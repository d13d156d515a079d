//! The public keys of an issuer, as it publishes them, and signatures checked with them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;

/// Keys of one issuer; what more there are is not looked at.
const MOST: usize = 100;

/// How a token is signed. Whatever else there is, `none` and shared secrets above all, is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            "EdDSA" | "Ed25519" => Some(Self::EdDsa),
            _ => None,
        }
    }
}

/// A key that signatures of one kind can be checked with, and of no other.
#[derive(Debug, Clone)]
pub(super) struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    material: Material,
}

#[derive(Debug, Clone)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    Point(Vec<u8>),
}

#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Deserialize)]
struct Published {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Keys {
    /// Those of a published set that we can use; a key that is broken or of another kind costs the others nothing.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let published: Published = serde_json::from_slice(bytes)?;
        let keys = published.keys.into_iter().take(MOST);
        Ok(Self(keys.filter_map(|it| serde_json::from_value::<Jwk>(it).ok()?.into_key()).collect()))
    }

    /// The key that a token names; where it names none, the only one of its kind.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&Key> {
        let mut fitting = self.0.iter().filter(|it| it.algorithm == algorithm);
        match id {
            Some(id) => fitting.find(|it| it.id.as_deref() == Some(id)),
            None => fitting.next().filter(|_| fitting.next().is_none()),
        }
    }
}

impl Key {
    pub(super) fn verify(&self, signed: &[u8], by: &[u8]) -> bool {
        let check = match &self.material {
            Material::Rsa { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&signature::RSA_PKCS1_2048_8192_SHA256, signed, by)
            }
            Material::Point(point) if self.algorithm == Algorithm::Es256 => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point).verify(signed, by)
            }
            Material::Point(point) => UnparsedPublicKey::new(&signature::ED25519, point).verify(signed, by),
        };
        check.is_ok()
    }
}

impl Jwk {
    fn into_key(self) -> Option<Key> {
        if self.purpose.as_deref().is_some_and(|it| it != "sig") {
            return None;
        }
        let (algorithm, material) = match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => (Algorithm::Rs256, Material::Rsa { n: decode(&self.n)?, e: decode(&self.e)? }),
            ("EC", Some("P-256")) => (Algorithm::Es256, Material::Point(point(decode(&self.x)?, decode(&self.y)?)?)),
            ("OKP", Some("Ed25519")) => {
                (Algorithm::EdDsa, Material::Point(decode(&self.x).filter(|it| it.len() == 32)?))
            }
            _ => return None,
        };
        let is_for_it = self.alg.as_deref().is_none_or(|it| Algorithm::from_name(it) == Some(algorithm));
        is_for_it.then_some(Key { id: self.kid, algorithm, material })
    }
}

/// Both coordinates, as they are written where they are not compressed.
fn point(x: Vec<u8>, y: Vec<u8>) -> Option<Vec<u8>> {
    (x.len() == 32 && y.len() == 32).then(|| [vec![4], x, y].concat())
}

fn decode(text: &Option<String>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.as_ref()?.trim_end_matches('=')).ok()
}

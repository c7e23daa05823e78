// A self-signed certificate of its own for each run, so that no private key
// stands in the repository. Node reads X.509 and does not write it; this is the
// DER of one (RFC 5280), for an EC key and a handful of fields.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const tlv = (tag, ...parts) => {
  const body = Buffer.concat(parts);
  const size = body.length < 128
    ? Buffer.from([body.length])
    : Buffer.from([0x82, body.length >> 8, body.length & 255]);
  return Buffer.concat([Buffer.from([tag]), size, body]);
};
const seq = (...parts) => tlv(0x30, ...parts);
const oid = (...bytes) => tlv(0x06, Buffer.from(bytes));
const time = (date) => tlv(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));

const ecdsaWithSHA256 = seq(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const commonName = (name) => seq(tlv(0x31, seq(oid(0x55, 0x04, 0x03), tlv(0x0c, Buffer.from(name)))));
const altNames = (host) => seq(oid(0x55, 0x1d, 0x11), tlv(0x04, seq(tlv(0x82, Buffer.from(host)))));

const pem = (label, der) => `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END ${label}-----\n`;

/** {certificate, key}: PEM, for a host, valid for a day. */
export function selfSigned(host) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const now = Date.now();
  const signed = seq(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))), // version 3
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial, positive
    ecdsaWithSHA256,
    commonName(host),
    seq(time(new Date(now - 60_000)), time(new Date(now + 86_400_000))),
    commonName(host),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, seq(altNames(host))),
  );
  const signature = tlv(0x03, Buffer.from([0]), sign('sha256', signed, privateKey));
  return {
    certificate: pem('CERTIFICATE', seq(signed, ecdsaWithSHA256, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

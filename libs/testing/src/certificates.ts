import { generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HOUR_MS = 3_600_000;

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

/** An authority of its own, and certificates that it signs, as PEM files in a temporary folder. */
export async function certificates() {
  const directory = await mkdtemp(join(tmpdir(), 'certificates-'));
  const authority = newKeys();
  const signer = { name: 'Test authority', key: authority.privateKey };
  const authorityFile = join(directory, 'authority.pem');
  await writeFile(authorityFile, certificate({ ...authority, name: signer.name, signer, extension: MAY_SIGN_OTHERS }));

  return {
    /** A certificate for a host: a name, or an IPv4 address. */
    async issue(name: string, host = 'localhost'): Promise<CertificateFiles> {
      const keys = newKeys();
      const files = {
        certificate: join(directory, `${name}.pem`),
        key: join(directory, `${name}.key`),
        authority: authorityFile,
      };
      await writeFile(files.certificate, certificate({ ...keys, name, signer, extension: forHost(host) }));
      await writeFile(files.key, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
      return files;
    },
    remove: () => rm(directory, { recursive: true }),
  };
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** One ASN.1 value in DER: tag, length, content. */
function der(tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);

const ECDSA_WITH_SHA256 = sequence(hex('06082a8648ce3d040302'));
const COMMON_NAME = hex('0603550403');
/** basicConstraints: cA TRUE. */
const MAY_SIGN_OTHERS = sequence(hex('0603551d13'), hex('0101ff'), der(0x04, sequence(hex('0101ff'))));
/** subjectAltName: dNSName or iPAddress. */
const forHost = (host: string): Buffer =>
  sequence(
    hex('0603551d11'),
    der(0x04, sequence(isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, host))),
  );

const nameOf = (name: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, name))));
/** UTCTime: YYMMDDhhmmssZ. */
const timeOf = (ms: number): Buffer => der(0x17, `${new Date(ms).toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`);

interface CertificateParts {
  name: string;
  publicKey: KeyObject;
  signer: { name: string; key: KeyObject };
  extension: Buffer;
}

/** An X.509 certificate in PEM, good for an hour. Node reads certificates but makes none. */
function certificate({ name, publicKey, signer, extension }: CertificateParts): string {
  const toBeSigned = sequence(
    hex('a003020102'), // version 3
    der(0x02, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    nameOf(signer.name),
    sequence(timeOf(Date.now() - HOUR_MS), timeOf(Date.now() + HOUR_MS)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', toBeSigned, signer.key);
  const encoded = sequence(toBeSigned, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  return new X509Certificate(encoded).toString();
}

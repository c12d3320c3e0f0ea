import { ChannelCredentials, credentials, ServerCredentials } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Replicas } from './replicas.ts';
import type { tlsSettings } from './settings.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  certificate: string;
  key: string;
  /** Who signs the other side's certificates. A server that has it demands a certificate of its clients. */
  authority?: string | undefined;
}

/**
 * The TLS files that a configuration names; undefined when it names none.
 *
 * @throws Error when only some of what is needed is named.
 */
export function tlsFrom(configuration: {
  readonly [Name in keyof typeof tlsSettings]: string | undefined;
}): TlsFiles | undefined {
  const { GRPC_TLS_CERTIFICATE: certificate, GRPC_TLS_KEY: key, GRPC_TLS_AUTHORITY: authority } = configuration;
  if (!certificate && !key && !authority) return undefined;
  if (!certificate || !key) {
    throw new Error('GRPC_TLS_CERTIFICATE and GRPC_TLS_KEY must both be set to use TLS between services.');
  }
  return { certificate, key, authority };
}

export function serverCredentials(tls: TlsFiles | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(
    tls.authority ? readFileSync(tls.authority) : null,
    [{ cert_chain: readFileSync(tls.certificate), private_key: readFileSync(tls.key) }],
    tls.authority !== undefined,
  );
}

/** `checkIdentity` says whether a certificate is that of the other side; unless given, it must have the name of the address. */
export function channelCredentials(
  tls: TlsFiles | undefined,
  checkIdentity?: Replicas['checkIdentity'],
): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  return credentials.createSsl(
    tls.authority ? readFileSync(tls.authority) : null,
    readFileSync(tls.key),
    readFileSync(tls.certificate),
    checkIdentity && { checkServerIdentity: checkIdentity },
  );
}

/** The same for whoever connects by himself. */
export function secureContextOf({ authority, certificate, key }: TlsFiles): SecureContext {
  return createSecureContext({
    ...(authority !== undefined && { ca: readFileSync(authority) }),
    cert: readFileSync(certificate),
    key: readFileSync(key),
    minVersion: 'TLSv1.2',
  });
}

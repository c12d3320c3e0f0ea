import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface IssuerKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: JWK;
}

export async function issuerKey(kid: string, alg = 'RS256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** An issuer over real HTTP on loopback whose answers a test decides. */
export async function localIssuer(published: readonly JWK[]) {
  const state = {
    published: [...published] as unknown[],
    /** Every answer, when set: a status and a body. */
    broken: undefined as { status: number; body: string; location?: string } | undefined,
    discovery: {} as Record<string, unknown>,
    /** Paths asked for. */
    asked: [] as string[],
    /** Answers wait for it. */
    gate: Promise.resolve() as Promise<unknown>,
  };
  const server = createServer((request, response) => {
    void (async () => {
      state.asked.push(request.url ?? '');
      await state.gate;
      if (state.broken) {
        const { status, body, location } = state.broken;
        response.writeHead(status, location === undefined ? {} : { location }).end(body);
      } else if (request.url === '/.well-known/openid-configuration') {
        response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys`, ...state.discovery }));
      } else {
        response.end(JSON.stringify({ keys: state.published }));
      }
    })();
  });
  let port = 0;
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const goDown = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, 'close');
  };
  await listen();
  const issuer = `http://127.0.0.1:${port}`;
  return { issuer, state, goDown, comeBack: listen };
}

export type LocalIssuer = Awaited<ReturnType<typeof localIssuer>>;

export interface TokenParts {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
}

/** A token as the issuer would sign it, with whatever a test changes; undefined removes. */
export async function signToken(key: IssuerKey, base: Record<string, unknown>, { header, claims }: TokenParts = {}) {
  return new SignJWT({ ...base, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey, { crit: { b64: true, urgent: false } });
}

import type { NodeConnectionOptions } from 'nats';

export type ServerAddresses = Pick<NodeConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'>;

/**
 * Reads `nats://user:password@host:port`, `nats://token@host` or `tls://host`, several separated by commas. The
 * client itself takes no credentials out of an address; the first ones found count for all servers. With `tls:` a
 * server without TLS is refused; its certificate must be signed by an authority Node trusts (NODE_EXTRA_CA_CERTS).
 */
export function serverAddresses(text: string): ServerAddresses {
  const urls = text.split(',').map((address) => parse(address.trim()));
  const credentials = urls.find(({ username }) => username !== '');
  return {
    servers: urls.map(({ host }) => host),
    ...(credentials && login(credentials)),
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  };
}

function parse(address: string): URL {
  const url = URL.parse(address.includes('://') ? address : `nats://${address}`);
  // The address itself may hold a password, so the message does not.
  if (!url?.host || !['nats:', 'tls:'].includes(url.protocol)) {
    throw new Error('not a NATS address; expected nats://host:port or tls://host:port');
  }
  return url;
}

const login = ({ username, password }: URL): Pick<ServerAddresses, 'user' | 'pass' | 'token'> =>
  password === ''
    ? { token: decodeURIComponent(username) }
    : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };

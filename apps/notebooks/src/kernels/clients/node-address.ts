import { hostname } from 'node:os';

/**
 * Where other replicas reach this one, unless it is said: where it listens, or this machine's name when that is everywhere, as in a
 * container. Empty when it cannot be known.
 */
export function nodeAddress(listen: string): string {
  const colon = listen.lastIndexOf(':');
  const [host, port] = [listen.slice(0, colon), listen.slice(colon + 1)];
  if (port === '0') return '';
  return host === '0.0.0.0' || host === '[::]' ? `${hostname()}:${port}` : listen;
}

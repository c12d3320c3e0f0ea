import { experimental, type ChannelOptions } from '@grpc/grpc-js';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** How often a name is looked up again while all replicas known are well: so soon a further one gets calls. */
const LOOK_UP_MS = 5_000;

const DNS_PREFIX = 'dns:///';
/** No host name has a `+`, so that no `host:port` is taken for one of these. */
const NAMED = 'replicas+dns';
const LISTED = 'replicas+list';

/** Where a service is: `host:port`, several of them separated by commas, or `dns:///name:port`. */
export interface Replicas {
  /** What grpc-js is told to connect to. */
  readonly target: string;
  /**
   * There may be others beside the one that a call fails on, or one that takes the place of all: a call waits for it
   * as long as for a connection. Of a single `host:port` that is down nobody knows when it will be back.
   */
  readonly several: boolean;
  /** The check of a replica's TLS certificate, where not all have the same name. */
  readonly checkIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** The name that its certificate has to bear, where that is not the host. */
  readonly name?: string;
}

/** Where a service is, for whoever connects by himself. */
export interface ReplicaAddresses {
  /** The replicas that an address lists. */
  readonly listed: readonly Endpoint[];
  /** The name behind which they are. */
  readonly named?: Endpoint;
  readonly several: boolean;
  /** The check of a replica's TLS certificate. */
  readonly checkIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

export function replicaAddressesOf(address: string): ReplicaAddresses {
  const { several, checkIdentity = checkServerIdentity } = replicasOf(address);
  if (address.startsWith(DNS_PREFIX)) {
    return { listed: [], named: endpointOf(address.slice(DNS_PREFIX.length)), several, checkIdentity };
  }
  return { listed: address.split(',').map(endpointOf), several, checkIdentity };
}

export function replicasOf(address: string): Replicas {
  if (address.startsWith(DNS_PREFIX)) {
    return { target: `${NAMED}:${address.slice(DNS_PREFIX.length)}`, several: true };
  }
  const addresses = address.split(',');
  if (addresses.length === 1) return { target: address, several: false };
  const hosts = addresses.map((each) => endpointOf(each).host);
  return {
    target: `${LISTED}:${address}`,
    several: true,
    checkIdentity: (host, certificate) =>
      hosts.some((each) => checkServerIdentity(each, certificate) === undefined)
        ? undefined
        : checkServerIdentity(host, certificate),
  };
}

function endpointOf(hostAndPort: string): Endpoint {
  const at = hostAndPort.lastIndexOf(':');
  return { host: hostAndPort.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(hostAndPort.slice(at + 1)) };
}

type Target = experimental.GrpcUri;
type Listener = experimental.ResolverListener;

/** Every address behind a name, by the library's own resolver, which by itself asks only after a connection was lost. */
class NamedReplicas implements experimental.Resolver {
  readonly #names: experimental.Resolver;
  #timer: NodeJS.Timeout | undefined;
  /** What the library has been told; telling it the same again would have it balance anew. */
  #told: string | undefined;

  constructor({ path }: Target, listener: Listener, options: ChannelOptions) {
    const tell: Listener = (found, ...more) => {
      const addresses = found.ok
        ? JSON.stringify(found.value.map(({ addresses }) => addresses).sort(byText))
        : undefined;
      if (addresses !== undefined && addresses === this.#told) return true;
      this.#told = addresses ?? this.#told;
      return listener(found, ...more);
    };
    this.#names = experimental.createResolver({ scheme: 'dns', path }, tell, options);
  }

  updateResolution(): void {
    this.#names.updateResolution();
    this.#timer ??= setInterval(() => this.#names.updateResolution(), LOOK_UP_MS).unref();
  }

  destroy(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#told = undefined;
    this.#names.destroy();
  }

  static getDefaultAuthority({ path }: Target): string {
    return path;
  }
}

const byText = (one: unknown, other: unknown): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

/** Each address of a list is one replica, whose name is looked up whenever a connection to it is made. */
class ListedReplicas implements experimental.Resolver {
  readonly #tell: () => void;
  #told = false;

  constructor({ path }: Target, listener: Listener) {
    const endpoints = path.split(',').map((each) => ({ addresses: [endpointOf(each)] }));
    this.#tell = () => void listener(experimental.statusOrFromValue(endpoints), {}, null, '');
  }

  updateResolution(): void {
    if (this.#told) return;
    this.#told = true;
    setImmediate(this.#tell);
  }

  destroy(): void {
    this.#told = false;
  }

  static getDefaultAuthority({ path }: Target): string {
    return path.split(',')[0] ?? path;
  }
}

experimental.registerResolver(NAMED, NamedReplicas);
experimental.registerResolver(LISTED, ListedReplicas);

import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** For how long a name server is waited for, the first time; half as long again at each further one. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Who has an address of IPv4 waits for others no longer than this, in milliseconds: some name servers never answer that question. */
const RESOLUTION_DELAY_MS = 200;

/**
 * All addresses that the name servers give for a name. The system's own look-up would take one of the few threads on which a process also
 * reads files, for as long as the name servers of somebody else let it wait; this asks by itself, and knows no hosts file.
 */
export async function resolveName(hostname: string, resolver = newResolver()): Promise<readonly ResolvedAddress[]> {
  const [ipv4, ipv6] = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  const late = ipv4.then(
    () => delay(RESOLUTION_DELAY_MS, []),
    () => ipv6,
  );
  const [ofIpv4, ofIpv6] = await Promise.allSettled([ipv4, Promise.race([ipv6, late])]);
  const addresses = [...foundIn(ofIpv4, 4), ...foundIn(ofIpv6, 6)];
  if (addresses.length === 0 && ofIpv4.status === 'rejected') throw ofIpv4.reason;
  return addresses;
}

/** For one look-up, since the name servers of the system may be others at the next one. */
const newResolver = (): Resolver => new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });

const foundIn = (answer: PromiseSettledResult<string[]>, family: number): ResolvedAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];

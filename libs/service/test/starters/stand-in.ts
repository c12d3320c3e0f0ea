import { assertionVerifier, type ServiceKeys } from '@platform-backend/auth';
import { loadContract, type DomainContract } from '@platform-backend/contract';
import { createLogger } from '@platform-backend/core/logger';
import { startGrpcServer, type CallContext } from '@platform-backend/grpc';

type Handler = (request: never, context: CallContext) => object;

/** By proto service (`CreditService`) and rpc in camelCase. */
type HandlersByService = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

/**
 * Stands in for another service in the tests of one that calls it: has these of its proto services, which do what is
 * written here, and answer every other rpc with nothing.
 */
export async function standIn(of: DomainContract, written: HandlersByService, keys: ServiceKeys) {
  const contract = loadContract(of);
  const services = Object.entries(written).map(([protoService, own]) => {
    const name = `platform.${of.domain}.v1.${protoService}`;
    const rpcs = Object.keys(contract.serviceDefinition(name)).map((rpc) => rpc.charAt(0).toLowerCase() + rpc.slice(1));
    return { name, handlers: Object.fromEntries(rpcs.map((rpc) => [rpc, own[rpc] ?? (() => ({}))])) };
  });
  const server = await startGrpcServer({
    contract,
    logger: createLogger({ service: 'stand-in', level: 'silent' }),
    listen: '127.0.0.1:0',
    verifier: assertionVerifier({ keys: keys.publicKeys }),
    services,
    drainLimitMs: 500,
  });
  return { address: server.address, close: () => server.drain() };
}

import { assertionVerifier } from '@platform-backend/auth';
import type { Contract } from '@platform-backend/contract';
import type { Clock } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { startGrpcServer, type CallContext, type GrpcServer } from '@platform-backend/grpc';
import { platformContract } from './platform-contract.ts';

/** What a handler of a test gets and gives: plain messages as the contract describes them. */
export type StandInHandler = (request: never, context: CallContext) => unknown;

export interface StandInOptions {
  readonly publicKeys: Parameters<typeof assertionVerifier>[0]['keys'];
  /** `host:port`; any free port unless given. */
  readonly listen?: string;
  /** By which it judges assertions; the system's unless given. */
  readonly clock?: Clock;
}

export interface StandInService extends StandInOptions {
  /** As in the packages of the contract: `identity`. */
  readonly domain: string;
  /** Answers by operation: `ClientGroupService/GetClientGroup`. Without one the answer is an empty message. */
  readonly handlers: ReadonlyMap<string, StandInHandler>;
  readonly called?: (context: CallContext) => void;
  /** That of the platform unless given. */
  readonly contract?: Contract;
}

/** A real gRPC server in the place of a service, with all of its operations. */
export function startStandInService(options: StandInService): Promise<GrpcServer> {
  const {
    domain,
    publicKeys,
    listen = '127.0.0.1:0',
    clock,
    handlers,
    called,
    contract = platformContract(),
  } = options;
  const names = new Set(
    contract.operations.filter((operation) => operation.domain === domain).map(({ service }) => service),
  );
  return startGrpcServer({
    contract,
    logger: createLogger({ service: `stand-in ${domain}`, level: 'silent' }),
    listen,
    verifier: assertionVerifier({ keys: publicKeys, ...(clock && { clock }) }),
    services: [...names].map((name) => ({
      name,
      handlers: Object.fromEntries(
        Object.keys(contract.serviceDefinition(name)).map((method) => [
          method.charAt(0).toLowerCase() + method.slice(1),
          (request: never, context: CallContext) => {
            called?.(context);
            return handlers.get(`${name.slice(name.lastIndexOf('.') + 1)}/${method}`)?.(request, context) ?? {};
          },
        ]),
      ),
    })),
    drainLimitMs: 500,
  });
}

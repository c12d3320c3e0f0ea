import { assertionVerifier, type ServiceKeys } from '@platform/auth';
import { loadContract } from '@platform/contract';
import { billingContract, type ReserveCreditsRequest } from '@platform/contract-billing';
import { createLogger, paymentRequired } from '@platform/core';
import { startGrpcServer, type CallContext } from '@platform/grpc';

const SERVICE = 'platform.billing.v1.CreditService';

interface Ended {
  readonly reservationId: string;
  readonly amountMicros: string;
}

export type CreditLedger = Awaited<ReturnType<typeof creditLedger>>;

/** Stands in for billing, whose own tests are about its books: it remembers what it was asked for. */
export async function creditLedger({ publicKeys }: ServiceKeys) {
  const reserved: (ReserveCreditsRequest & { organisationId: string })[] = [];
  const [settled, released]: [Ended[], string[]] = [[], []];
  const empty = new Set<string>();
  const contract = loadContract(billingContract);
  const own: Record<string, (request: never, context: CallContext) => void> = {
    ReserveCredits(request: ReserveCreditsRequest, context) {
      const organisationId = context.organisationId();
      if (empty.has(organisationId)) throw paymentRequired();
      reserved.push({ ...request, organisationId });
    },
    SettleCredits: (request: Ended) => void settled.push(request),
    ReleaseCredits: ({ reservationId }: Ended) => void released.push(reservationId),
  };
  const handlers = Object.fromEntries(
    Object.keys(contract.serviceDefinition(SERVICE)).map((method) => [
      method.charAt(0).toLowerCase() + method.slice(1),
      (request: never, context: CallContext) => {
        own[method]?.(request, context);
        return {};
      },
    ]),
  );
  const server = await startGrpcServer({
    contract,
    logger: createLogger({ service: 'ledger', level: 'silent' }),
    listen: '127.0.0.1:0',
    verifier: assertionVerifier({ keys: publicKeys }),
    services: [{ name: SERVICE, handlers }],
    drainLimitMs: 500,
  });
  return {
    address: server.address,
    settled,
    released,
    /** Of this organisation. */
    reservedBy: (organisationId: string) => reserved.filter((one) => one.organisationId === organisationId),
    /** It has no credits any more. */
    useUp: (organisationId: string) => void empty.add(organisationId),
    close: () => server.drain(),
  };
}

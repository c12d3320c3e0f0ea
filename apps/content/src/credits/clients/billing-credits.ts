import type { CreditServiceClient } from '@platform-backend/contract-billing';
import { spending } from '@platform-backend/contract-billing/client/credits';
import type { CallOptions } from '@platform-backend/grpc';

/** Billing over gRPC, called on content's own authority for the organisation. */
export const billingCredits = (client: CreditServiceClient<CallOptions>, purpose: string) =>
  spending(client, { creditClass: 'AI', purpose });

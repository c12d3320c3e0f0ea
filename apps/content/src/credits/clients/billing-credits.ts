import type { CreditServiceClient } from '@platform-backend/contract-billing';
import { spending } from '@platform-backend/contract-billing/client/credits';
import type { CallOptions } from '@platform-backend/grpc';
import type { Credits } from '../domain/credits.ts';

/** Billing over gRPC, called on content's own authority for the organisation. */
export const billingCredits = (client: CreditServiceClient<CallOptions>, purpose: string): Credits =>
  spending(client, { creditClass: 'AI', purpose });

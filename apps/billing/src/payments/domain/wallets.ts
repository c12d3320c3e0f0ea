import type { ActorContext, Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { Wallet } from './wallet.ts';

/** Where it is kept what organisations pay with, provider by provider. */
export interface Wallets {
  /** Null: the organisation is no customer of the provider yet. */
  get(organisationId: string): Promise<Wallet | null>;
  /** Remembers the provider's customer; answers what is kept, which may have been there before. */
  open(organisationId: string, customer: string, at: Date): Promise<Wallet>;
  /** `decide` sees the locked wallet. NOT_FOUND: there is none. */
  update<Result>(by: ActorContext, decide: (wallet: Wallet) => Decision<Wallet, BillingEvent, Result>): Promise<Result>;
  /** Whose customer it is, when a provider speaks of one; null: nobody's. */
  organisationOfCustomer(customer: string): Promise<string | null>;
}

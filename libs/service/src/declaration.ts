import type { DomainContract } from '@platform-backend/contract';
import type { Environment, Settings } from '@platform-backend/core';
import type { Reseal } from '@platform-backend/core/secret-box';
import type { EventAccess } from '@platform-backend/events';
import type { AnyStorage } from './storage.ts';

/** What a service says about itself; everything else about its life is the same for all, and follows from it. */
export interface ServiceDeclaration {
  /** How long work in flight may go on after a signal, in milliseconds; absent: as long as calls may. */
  readonly drainLimitMs?: number;
  /** Its folder under apps/, the domain of its protos and events, and, in capitals, the beginning of its variables. */
  readonly name: string;
  /** Its domain's, which its handlers fulfil. */
  readonly contract: DomainContract;
  /** Where it listens unless told otherwise. */
  readonly port: number;
  /** The variables that no other service has. */
  readonly settings: Settings;
  readonly storage: AnyStorage;
  /**
   * What it keeps of one organisation may be put back by itself: work alone, no people and no books. `kept`: tables or collections of what
   * has happened, which stay as they are.
   */
  readonly restoresOrganisations?: { readonly kept: readonly string[] };
  /** What it keeps sealed with `SECRETS_KEY`, by kind, so that the key can be replaced; loaded for that alone. */
  readonly sealedSecrets?: () => Promise<Readonly<Record<string, SealedSecrets>>>;
  /** The contracts of the services that it calls, by their names. */
  readonly calls: Readonly<Record<string, DomainContract>>;
  /** Those of services that it can do without: it calls them where it is told where they are. */
  readonly callsIfThere?: Readonly<Record<string, DomainContract>>;
  /** The rights of its NATS user, which are these and no more. */
  readonly events: Omit<EventAccess, 'service'>;
  readonly development?: Development;
}

/**
 * Hands all secrets of one kind, of all organisations, to `reseal`, and keeps what that answers, in batches that each count by
 * themselves. A secret that somebody changes meanwhile stays as they leave it.
 */
export type SealedSecrets = OfAnyStorage['resealed'];

interface OfAnyStorage {
  // As a method, which takes what a storage of either kind has opened.
  resealed(opened: object, reseal: Reseal): Promise<unknown>;
}

/** What `npm start` knows of a service. */
export interface Development {
  /** Its variables on a machine that says nothing about them. */
  readonly defaults?: (env: Environment) => Readonly<Record<string, string>>;
  /** What whoever starts it should know, from its whole environment. */
  readonly notice?: (env: Environment) => string | Promise<string>;
}

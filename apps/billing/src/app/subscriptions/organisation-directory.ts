import type { OrganisationPlan } from '../../domain/subscriptions/subscription.ts';
import type { Organisation } from '@platform/contract/identity';

/** What identity is told about an organisation's subscription. */
export interface PlanReport {
  readonly organisationId: string;
  readonly plan: OrganisationPlan;
  /** A report that is not newer than the one identity knows changes nothing. */
  readonly version: bigint;
  /** With more active members than this the report is refused. Null: it is not. */
  readonly mostActiveMembers: number | null;
  readonly requestId: string;
}

/** Identity, which owns organisations and their members and repeats what billing says about their plans. */
export interface OrganisationDirectory {
  /**
   * Tells identity; answers what the organisation is called. CONFLICT: more members are active, and while that is
   * found out nobody can join. NOT_FOUND: there is no such organisation any more.
   */
  applyPlan(report: PlanReport): Promise<string>;
  /** The organisation as it is now, with its members. NOT_FOUND: there is no such organisation any more. */
  get(organisationId: string, requestId: string): Promise<Organisation>;
}

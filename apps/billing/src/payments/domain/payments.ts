import type { ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import type { Payment, PaymentState } from './payment.ts';

export interface PaymentName {
  readonly organisationId: string;
  readonly id: string;
}

export interface PaymentFilter {
  /** Any of these; none: all. */
  readonly states: readonly PaymentState[];
  readonly organisationId?: string;
  readonly limit: number;
}

/** Where payments are kept, and every attempt. */
export interface Payments {
  /**
   * Writes a payment down, unless there is one for its subject; answers the latest attempt, and whether it is the caller's to
   * go on with: one that is just written, or that nobody looks at. For a purchase that is finished none is written any more:
   * then it is answered as cancelled.
   */
  begin(payment: Payment, at: Date, leaseUntil: Date): Promise<{ readonly payment: Payment; readonly isOurs: boolean }>;
  /** The latest attempt for a subject; null: none. */
  latest(organisationId: string, subjectId: string): Promise<Payment | null>;
  /** Those of an organisation that are not over. */
  open(organisationId: string): Promise<readonly Payment[]>;
  get(name: PaymentName): Promise<Payment | null>;
  /** Takes one to look at; null when somebody else was faster. */
  take(name: PaymentName, at: Date, leaseUntil: Date): Promise<Payment | null>;
  /**
   * Remembers with which of the processor's payment methods it is tried, before it is; answers the one it was first tried
   * with. A charge that is tried again must be the same charge, whatever has become the default meanwhile. Null: it is over,
   * and not to be tried any more.
   */
  pinMethod(name: PaymentName, method: string): Promise<string | null>;
  /** `decide` sees the locked payment and is synchronous; answers what it has made of it. */
  update(name: PaymentName, decide: (payment: Payment) => Payment): Promise<Payment>;
  /**
   * Writes a further attempt down; answers the one that was faster, if there was one, and the one before where what is paid
   * for is `finished` and that is refused.
   */
  addAttempt(payment: Payment, finished: 'allowed' | 'refused'): Promise<Payment>;
  /** Those that the schedule has to look at, the most overdue first. */
  due(at: Date, scope: ScheduleScope, limit: number): Promise<readonly PaymentName[]>;
  /** When the first of them has to be looked at; null: none. */
  readonly firstDueAt: (scope: ScheduleScope) => Promise<Date | null>;
  /** When the next one of an organisation has to be looked at; null: none. */
  nextDueAt(organisationId: string): Promise<Date | null>;
  /** The payment of any organisation with this id of ours or, failing that, this name of the processor's. */
  find(id: string | null, reference: string): Promise<PaymentName | null>;
  /** Those of any organisation that were asked for between these moments and are paid, oldest first. */
  paid(from: Date, until: Date): AsyncIterable<Payment>;
  /** Of any organisation, newest first. */
  list(filter: PaymentFilter): Promise<readonly Payment[]>;
}

import { newId, serviceActorContext } from '@platform-backend/core';
import type { Credits, Payer, Reservation } from '../domain/credits.ts';
import type { Kernel, MinuteDebits } from '../domain/kernel.ts';

/** Who pays for a kernel, also when nobody has asked for what happens to it. */
export function payerOfKernel(organisationId: string, { userId, clientGroupId, apiKeyId }: Kernel): Payer {
  const { actor, ...by } = serviceActorContext('notebooks', organisationId, newId());
  return { ...by, actor: { ...actor, userId }, clientGroupId, apiKeyId };
}

/** What the minutes of an organisation's kernels cost; for the last one of them something may be set aside. */
export const minuteDebits =
  (
    credits: Pick<Credits, 'debitMinute'>,
    organisationId: string,
    reserved?: { readonly minute: number; readonly reservation: Reservation | undefined },
  ): MinuteDebits =>
  (kernel, minute, at) => {
    const which = { kernelId: kernel.id, minute, at };
    const reservation = minute === reserved?.minute ? reserved.reservation : undefined;
    return reservation?.debit(which) ?? credits.debitMinute(payerOfKernel(organisationId, kernel), which) ?? [];
  };

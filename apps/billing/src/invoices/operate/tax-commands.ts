import { WrongUsage } from '@platform-backend/command-line';
import type { Clock } from '@platform-backend/core';
import {
  required,
  textOptions,
  withoutWords,
  wordsCommand,
  type OperatorGroup,
  type OperatorParts,
} from '../../operator-arguments.ts';
import type { TaxExemptions } from '../domain/invoices.ts';

export interface TaxCommandParts extends OperatorParts {
  readonly taxExemptions: TaxExemptions;
  readonly clock: Clock;
}

const options = textOptions('organisation', 'reason', 'until');

/** `npm run -s billing -- tax show|exempt|taxable`: whom the seller exempts from tax. */
export const taxCommands: OperatorGroup<TaxCommandParts> = {
  usage: `npm run -s billing -- tax show|taxable --organisation ID
npm run -s billing -- tax exempt --organisation ID --reason TEXT [--until DAY]`,
  help: `  tax show          whether an organisation is exempt from tax now, and why
  tax exempt        from now on, to the end of DAY (2026-12-31) if one is given; the reason stands on its invoices
  tax taxable       takes an exemption back, from now on`,
  command: wordsCommand<TaxCommandParts, typeof options>('tax', options, {
    show: withoutWords(async ({ taxExemptions, clock, write }, { organisation }) => {
      const organisationId = required('--organisation', organisation);
      write({ organisationId, exemption: await taxExemptions.at(organisationId, clock.now()) });
    }),
    exempt: withoutWords(async ({ taxExemptions, clock, write }, { organisation, reason, until }) => {
      const organisationId = required('--organisation', organisation);
      const validFrom = clock.now();
      const exemption = {
        ...{ reason: required('--reason', reason), validFrom },
        validUntil: until === undefined ? null : endOfDay(until, validFrom),
      };
      await taxExemptions.set(organisationId, exemption);
      write({ organisationId, exemption });
    }),
    taxable: withoutWords(async ({ taxExemptions, clock, write }, { organisation }) => {
      const organisationId = required('--organisation', organisation);
      const at = clock.now();
      const exemption = await taxExemptions.at(organisationId, at);
      if (!exemption) throw new WrongUsage(`${organisationId} is not exempt from tax.`);
      if (exemption.validFrom >= at) throw new WrongUsage('It has been exempt for less than a moment: try again.');
      await taxExemptions.set(organisationId, { ...exemption, validUntil: at });
      write({ organisationId, exemption: null });
    }),
  }),
};

function endOfDay(day: string, after: Date): Date {
  const end = new Date(`${day}T23:59:59.999Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(end.getTime()) || end <= after) {
    throw new WrongUsage(`--until is a day to come, such as 2030-12-31, and not "${day}".`);
  }
  return end;
}

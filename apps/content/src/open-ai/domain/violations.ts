import type { Violation } from '@platform-backend/core';

type Loc = readonly (string | number)[];

/** A field of the body that is wrong. */
export const violation = (type: string, loc: Loc, msg: string): Violation => ({ type, loc: ['body', ...loc], msg });

/** A parameter that nothing here follows. */
export const unsupportedParameter = (name: string, msg: string): Violation =>
  violation('unsupported_parameter', [name], msg);

/** A value of a parameter that nothing here follows, where it has others. */
export const unsupportedValue = (name: string, msg: string): Violation => violation('unsupported_value', [name], msg);

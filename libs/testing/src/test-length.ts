/**
 * Whether this test file is run in its long form, as `npm run test:long` does: with the numbers that are promised. In the
 * usual form it tries as often as shows a defect while one works.
 */
export const isLongRun = (): boolean => process.env['TEST_LONG'] === '1';

/** How often a test tries what it tries, and how much of it: as promised in the long form of the run. */
export const repetitions = ({ usual, long }: { readonly usual: number; readonly long: number }): number =>
  isLongRun() ? long : usual;

/**
 * How often a test tries what it tries, and how much of it: as promised in the long form of a run (`npm run test:long`), and as
 * often as shows a defect in the usual one.
 */
export const repetitions = ({ usual, long }: { readonly usual: number; readonly long: number }): number =>
  process.env['TEST_LONG'] === '1' ? long : usual;

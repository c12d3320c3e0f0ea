/** The tests of the present run, as the sequencer ordered them and the reporter counts them; both live in Jest's own process. */

/** @type {import('@jest/test-result').Test[]} */
let planned = [];

/** @param {import('@jest/test-result').Test[]} tests */
export const plan = (tests) => (planned = tests);

export const plannedTests = () => planned;

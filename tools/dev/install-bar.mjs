/**
 * Shows how far an installation is: a bar that moves in a terminal, a line every few seconds elsewhere. Plain JavaScript,
 * for it is shown before anything is installed.
 */
import process from 'node:process';

/**
 * @typedef {object} InstallBar
 * @property {(text: string) => void} say one line that stays
 * @property {(state: { done: number, total: number, seconds: number }) => void} show how far it is; called often
 * @property {() => void} end
 */

const lineEverySeconds = 5;
const width = 30;

/**
 * @param {Pick<NodeJS.WriteStream, 'isTTY' | 'write'>} stream
 * @returns {InstallBar}
 */
export function terminalBar(stream) {
  const moves = stream.isTTY === true && process.env.TERM !== 'dumb' && process.env.CI === undefined;
  const clear = moves ? '\r\u001B[K' : '';
  let nextLine = lineEverySeconds;
  return {
    say: (text) => void stream.write(`${clear}${text}\n`),
    show({ done, total, seconds }) {
      if (moves) {
        stream.write(`${clear}  ${bar(done, total)} ${describe(done, total)}, ${Math.floor(seconds)} s`);
      } else if (seconds >= nextLine) {
        nextLine = seconds + lineEverySeconds;
        stream.write(`  ... ${Math.floor(seconds)} s, ${describe(done, total)}\n`);
      }
    },
    end: () => void stream.write(clear),
  };
}

/**
 * @param {number} done
 * @param {number} total
 */
function describe(done, total) {
  if (total === 0 || done === 0) return 'reading the list of packages';
  // The last step of npm: the package of Node fetches its program.
  return done < total ? `${done} of ${total} packages` : `all ${total} packages are there, setting up Node`;
}

/**
 * @param {number} done
 * @param {number} total
 */
function bar(done, total) {
  const full = total === 0 ? 0 : Math.round((width * Math.min(done, total)) / total);
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}]`;
}

/** A process that has kernels, to be killed: it keeps guests warm and says so when the first one has been started. */
import { openSandbox } from '@platform-backend/sandbox';
import { pyodideProvider } from '../providers/pyodide/pyodide-provider.ts';

const [marker = '', guests = '1'] = process.argv.slice(2);
const sandbox = await openSandbox({ binary: process.env['BWRAP_BINARY'] });
pyodideProvider({
  warm: Number(guests),
  sandbox: {
    ...sandbox,
    spawn(program, options) {
      const guest = sandbox.spawn(program, { ...options, args: [...(options.args ?? []), marker] });
      process.send?.('started');
      return guest;
    },
  },
});

import { afterAll, describe, it } from '@jest/globals';
import { hasJupyterServer, startJupyterServer, type JupyterServer } from '@platform/testing';
import { remoteProvider } from '../../src/kernels/remote/remote-provider.ts';
import { kernelSuite } from './kernel-suite.ts';

if (hasJupyterServer()) {
  let server: JupyterServer | undefined;
  kernelSuite('a real Jupyter Server', async () => {
    server = await startJupyterServer();
    return remoteProvider(server);
  });
  afterAll(async () => await server?.stop());
} else {
  process.stderr.write(
    'there is no Jupyter Server (on Debian: apt-get install jupyter-server python3-ipykernel): its kernels are not tested\n',
  );
  describe.skip('a kernel of a real Jupyter Server', () => {
    it('is tested where there is one', () => undefined);
  });
}

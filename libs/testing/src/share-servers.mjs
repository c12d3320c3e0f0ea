/** Before the first test: from now on whoever needs a server asks the process of the run for it. */
export default async function startSharing() {
  const { shareServers } = await import('./shared-servers.ts');
  await shareServers();
}

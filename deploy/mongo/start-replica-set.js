/* global rs, db, sleep */
// Run by mongosh in the one-shot service `mongo-replica-set`; running it again changes nothing.
const members = ['mongo-1:27017', 'mongo-2:27017', 'mongo-3:27017'];

try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members: members.map((host, _id) => ({ _id, host })) });
}
while (!db.hello().isWritablePrimary && !db.hello().primary) sleep(200);

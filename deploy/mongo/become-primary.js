// Makes the server the only member of its replica set, once. Fails until it is the primary.
try {
  rs.status();
} catch (error) {
  // Anything else is the server that runs the scripts of the first start, or a real trouble.
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'platform', members: [{ _id: 0, host: 'mongo:27017' }] });
}
quit(db.hello().isWritablePrimary ? 0 : 1);

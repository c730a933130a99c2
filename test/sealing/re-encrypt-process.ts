import { isDistributed } from '../../src/store/db/cluster/distribute.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { reEncryptAll } from '../../src/store/keys/re-encrypt.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'

/**
 * Re-encrypts everything with the newest key, in its own process, to be killed. Arguments: database, data directory.
 */
const [url = '', dataDir = ''] = process.argv.slice(2)
const database = openDatabase(url)
database.isDistributed = await isDistributed(database)
const { reEncrypted } = await reEncryptAll(database, createSealer(await openKeys(dataDir)))
process.stdout.write(`${reEncrypted}\n`)
process.exit(0)

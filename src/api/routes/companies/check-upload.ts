import { recordChange } from '../../../audit/record.ts'
import { InputRefused } from '../../../connectors/contract/authorization.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { checkFile, MalwareFound, ScannerUnavailable } from '../../../sync/malware/check-file.ts'
import { badField, unavailable } from '../../errors/errors.ts'
import type { RouteDeps } from '../route-deps.ts'

const RETRY_AFTER_S = 120

/** Scans a file of a request for malware: a 400 for one that is refused, a 503 while it cannot be scanned. */
export async function checkUpload({ database, sync }: RouteDeps, instanceId: string, field: string, bytes: Uint8Array): Promise<void> {
  try {
    await checkFile(sync, bytes)
  } catch (error) {
    if (error instanceof ScannerUnavailable) throw unavailable(RETRY_AFTER_S, error, 'Files cannot be scanned for malware now.')
    if (error instanceof MalwareFound) {
      const change = { instanceId, subject: `instance/${instanceId}`, details: { signature: error.signature } }
      await inTransaction(database, (db) => recordChange(db, { ...change, action: 'file.malware-found' }))
    }
    if (error instanceof InputRefused) throw badField(field, 'is refused by the malware scanner')
    throw error
  }
}

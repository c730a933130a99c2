import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { THROUGH_CONNECTION, throughConnection } from './through-connection.ts'

/**
 * Deletes all data of a connection except its records: pages, runs, files, quarantined records. Its row and timeline
 * stay as history.
 */
export async function eraseConnectionData(db: Db, instanceId: string, connectionId: string): Promise<void> {
  const values = await throughConnection(db, instanceId, connectionId)
  const rest = values.slice(0, 3)
  const ofCompanyItself = ofCompany('company_id', '$3')
  const ofItsRuns = `instance_id = $1 and ${ofCompanyItself}
    and run_id = any (array(select id from sync_runs where instance_id = $1 and connection_id = $2 and ${ofCompanyItself}))`
  await db.query(`delete from staged_records where ${ofItsRuns} and seq >= 0`, rest)
  await db.query(`delete from staged_runs where ${ofItsRuns}`, rest)
  for (const table of ['raw_pages', 'sync_runs', 'source_files', 'quarantined_records'])
    await db.query(`delete from ${table} where instance_id = $1 and connection_id = $2 and ${ofCompanyItself}`, rest)
  for (const table of ['credential_versions', 'replay_parts'])
    await db.query(`delete from ${table} where instance_id = $1 and connection_id = $2`, [instanceId, connectionId])
  await db.query(`delete from record_versions where ${THROUGH_CONNECTION}`, values)
  await db.query(
    `update connections set cursors = '{}', fault = null, fault_code = null, trouble = null, erase_at = null, erased_at = clock_timestamp()
     where instance_id = $1 and id = $2`,
    [instanceId, connectionId],
  )
}

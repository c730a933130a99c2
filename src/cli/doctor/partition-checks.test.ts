import { expect, it } from 'vitest'
import { databaseOfOneServer } from '../../../test/harness/database.ts'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { dropWeeks, mondayOf } from '../../../test/webhooks/weeks.ts'
import { addPageSpans } from '../../store/retention/page-spans.ts'
import { PARTITIONED, partitionOf } from '../../store/webhooks/event-weeks.ts'
import { addEventWeeks } from '../../webhooks/event-partitions.ts'
import { checkPartitions } from './partition-checks.ts'

const MONTHS = 12
const log = { warn: () => undefined }
const test = openForTests(databaseOfOneServer, ({ drop }) => drop())

/** Findings, and how often they were waited for; `work` is done during the first pause. */
async function check(work: () => Promise<unknown> = async () => undefined) {
  let pauses = 0
  const found = await checkPartitions(test.database, MONTHS, async () => {
    pauses += 1
    if (pauses === 1) await work()
  })
  return { found: found.map(({ id, fact }) => `${id}: ${fact}`), pauses }
}

it('waits for partitions that a worker is making', async () => {
  const { database } = test
  await dropWeeks(database)
  const made = async () => [await addEventWeeks(database, log), await addPageSpans(database, MONTHS, log)]
  expect(await check(made)).toEqual({ found: [], pauses: 1 })
  expect(await check()).toEqual({ found: [], pauses: 0 })
})

it('leaves a week alone that has just come into view', async () => {
  const { database } = test
  for (const table of PARTITIONED) await database.query(`drop table ${partitionOf(table, await mondayOf(database, 2))}`)
  expect(await check()).toEqual({ found: [], pauses: 0 })
  const next = partitionOf('deliveries', await mondayOf(database, 1))
  await database.query(`drop table ${next}`)
  expect(await check()).toEqual({ found: [`event-partitions-missing: Missing: ${next}.`], pauses: 9 })
})

it('names those of raw pages that stay missing', async () => {
  const { database } = test
  await addEventWeeks(database, log)
  const { rows } = await database.query<{ name: string }>(
    `select to_char(begins, '"raw_pages_"YYYYMMDD') as name from page_spans order by begins limit 1`,
  )
  await database.query(`drop table ${rows[0]?.name}`)
  expect(await check()).toEqual({ found: [`page-partitions-missing: Missing: ${rows[0]?.name}.`], pauses: 9 })
})

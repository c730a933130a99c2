import { createEgress } from '../../egress/egress.ts'
import { english } from '../../model/texts/plural.ts'
import { StorageRefused } from '../../object-storage/s3-object.ts'
import { openPageObjects } from '../../process/open-page-objects.ts'
import type { Config } from '../../process/settings/config.ts'
import type { Db } from '../../store/db/database.ts'
import { readPageObjects } from '../../store/records/page-objects.ts'
import { type Finding, find, findIf } from './checks.ts'

/** Number of pages whose objects are read. */
const SAMPLES = 20

/** Checks that raw pages in object storage can be read, and that objects of deleted pages are removed. */
export async function checkRawPages(config: Pick<Config, 'pageBucket'>, db: Db): Promise<Finding[]> {
  const { sample, late } = await readPageObjects(db, SAMPLES)
  const left = findIf(late > 0, 'raw-page-objects-left', `${english.count(late, 'object is', 'objects are')} left.`)
  if (config.pageBucket === null)
    return [
      ...findIf(sample.length > 0, 'raw-pages-unreachable', 'Raw pages lie in object storage, and RAW_PAGE_BUCKET is not set.'),
      ...left,
    ]
  const egress = createEgress({ allowPrivate: true })
  try {
    const { pageObjects } = openPageObjects(config, egress)
    const missing: string[] = []
    for (const { key, bytes } of sample) if ((await pageObjects?.get(key, bytes)) === null) missing.push(key)
    // If there is no page yet, reading a missing object tests the storage as well.
    if (sample.length === 0) await pageObjects?.get('doctor', 0)
    const [first] = missing
    return [
      ...findIf(missing.length > 0, 'raw-pages-missing', `Of ${sample.length} objects ${missing.length} are missing, such as ${first}.`),
      ...left,
    ]
  } catch (error) {
    if (!(error instanceof StorageRefused)) throw error
    return [find('raw-pages-unreachable', `${config.pageBucket.endpoint}: ${error.message}`), ...left]
  } finally {
    await egress.close()
  }
}

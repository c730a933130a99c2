import type { Egress } from '../egress/egress.ts'
import type { PageObjects } from '../sync/context/groups.ts'
import { createPageObjects } from '../sync/pages/page-objects.ts'
import type { PageBucketSettings } from './settings/page-bucket.ts'

/** Object storage of raw pages, if the settings name one; `hide` redacts its secret. */
export function openPageObjects(
  { pageBucket }: { pageBucket: PageBucketSettings | null },
  egress: Egress,
  hide: (secret: string) => void = () => undefined,
): { pageObjects?: PageObjects } {
  if (pageBucket === null) return {}
  const secretAccessKey = pageBucket.secretAccessKey.reveal()
  hide(secretAccessKey)
  return { pageObjects: createPageObjects(egress, { ...pageBucket, secretAccessKey }) }
}

import type { Egress } from '../egress/egress.ts'
import type { PageObjects } from '../sync/context/groups.ts'
import { createPageObjects } from '../sync/pages/page-objects.ts'
import type { PageBucketSettings } from './settings/page-bucket.ts'

/** Object storage of raw pages, where the settings name one; its secret is told to `hide`. */
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

import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { UnreachableBar } from '../parts/answers/unreachable.tsx'
import { Preferences } from '../parts/layout/preferences.tsx'

/** Layout of the pages that are shown without a session. */
export function EntryLayout({ children }: { children: ReactNode }) {
  return (
    <main className="entry">
      <div className="entry-box">
        <UnreachableBar />
        <p className="brand">Countinghouse</p>
        {children}
        <Group mt="xl" gap="xs">
          <Preferences />
        </Group>
      </div>
    </main>
  )
}

import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Tastes } from '../frame.tsx'
import { AwayBar } from '../parts/away.tsx'

/** What stands before the door, whoever comes. */
export function DoorBox({ children }: { children: ReactNode }) {
  return (
    <main className="door">
      <div className="door-box">
        <AwayBar />
        <p className="brand">Countinghouse</p>
        {children}
        <Group mt="xl" gap="xs">
          <Tastes />
        </Group>
      </div>
    </main>
  )
}

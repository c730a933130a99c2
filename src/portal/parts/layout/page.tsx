import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

interface PageProps {
  title: string
  /** One sentence on the page's purpose. */
  lead?: string
  actions?: ReactNode
  children: ReactNode
}

/** Page with its heading, which takes the focus after navigation. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Countinghouse`
  }, [title])
  useEffect(() => {
    if (arrivals.count++ > 0) heading.current?.focus({ preventScroll: true })
    else performance.mark('portal-interactive')
    scrollTo(0, 0)
  }, [])
  return (
    <div className="page">
      <Group justify="space-between" align="flex-start" mb={lead ? 8 : 'md'} gap="sm">
        <Title order={1} size="h2" ref={heading} tabIndex={-1} className="words">
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {lead && (
        <Text c="dimmed" mb="md" maw={720}>
          {lead}
        </Text>
      )}
      {children}
    </div>
  )
}

/** Pages opened so far: the first one leaves the focus to the browser. */
const arrivals = { count: 0 }

/** Section of a page with its own heading. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="section" aria-label={title}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </section>
  )
}

/** Empty state: what would be here, and how to get it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Text fw={600}>{title}</Text>
      {children && (
        <Text component="div" size="sm" c="dimmed">
          {children}
        </Text>
      )}
    </div>
  )
}

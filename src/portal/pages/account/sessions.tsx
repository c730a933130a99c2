import type { Session } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { PagedGrid } from '../../parts/tables/paged-grid.tsx'
import { sessionTexts } from '../../texts/account/sessions.ts'
import { useTexts } from '../../texts/language/language.tsx'

/** Own sessions, each of which can be ended; the present one ends by signing out. */
export function Sessions() {
  const texts = useTexts(sessionTexts)
  const sessions = useRead<Session[]>('/auth/sessions')
  return (
    <Section title={texts.title}>
      <p>{texts.lead}</p>
      <Answer read={sessions} lines={2}>
        {(rows) => (
          <PagedGrid
            page="sessions"
            label={texts.title}
            rows={rows}
            keyOf={({ id }) => id}
            empty={{ title: texts.none }}
            columns={[
              { name: texts.agent, cell: ({ agent }) => agent || (agent === '' ? texts.otherProgram : texts.unknown) },
              { name: texts.network, cell: ({ network }) => <UserText>{network ?? texts.unknown}</UserText> },
              { name: texts.since, cell: ({ createdOn }) => <When at={createdOn} /> },
              { name: texts.lastUse, cell: ({ lastUsedOn }) => <When at={lastUsedOn} /> },
              {
                name: texts.action,
                isAction: true,
                cell: (session) => (session.isCurrent ? <Mark health="good">{texts.current}</Mark> : <End of={session} />),
              },
            ]}
          />
        )}
      </Answer>
    </Section>
  )
}

function End({ of: { id, agent } }: { of: Session }) {
  const texts = useTexts(sessionTexts)
  const end = useChange<string>((sessionId) => ({ method: 'DELETE', path: `/auth/sessions/${sessionId}` }))
  return (
    <Confirm
      label={texts.end}
      name={texts.endOne(agent || texts.unknown)}
      title={texts.endTitle}
      question={texts.endQuestion}
      isDangerous
      {...end.toConfirm(id)}
    />
  )
}

import { Group } from '@mantine/core'
import { useState } from 'react'
import type { RotateSubscriptionSecretResponse, SubscriptionSecret } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Instant } from '../../parts/display/user-text.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { webhookTexts } from '../../texts/pages/webhooks.ts'
import { WebhookSecret } from './webhook-secret.tsx'

/** Active secrets of an endpoint, and their rotation without a lost event. */
export function Secrets({ path }: { path: string }) {
  const texts = useTexts(webhookTexts)
  const [shown, setShown] = useState<string | null>(null)
  const secrets = useRead<SubscriptionSecret[]>(`${path}/secrets`)
  const show = ({ secret }: RotateSubscriptionSecretResponse) => setShown(secret)
  const rotate = useChange<void, RotateSubscriptionSecretResponse>(
    () => ({ method: 'POST', path: `${path}/secret/rotate`, body: {} }),
    show,
  )
  const revoke = useChange<void, RotateSubscriptionSecretResponse>(() => ({ method: 'POST', path: `${path}/secret/revoke` }), show)
  const promote = useChange<void>(() => ({ method: 'POST', path: `${path}/secret/promote`, body: {} }))
  const retire = useChange<void>(() => ({ method: 'POST', path: `${path}/secret/retire` }))
  return (
    <Section title={texts.secrets}>
      <Answer read={secrets} lines={2}>
        {(rows) => (
          <>
            <Grid
              label={texts.secrets}
              rows={rows}
              keyOf={({ id }) => id}
              empty={{ title: texts.secrets }}
              columns={[
                { name: 'Id', cell: ({ id }) => id.slice(0, 8) },
                { name: texts.state, cell: ({ signs }) => texts.signs[signs] },
                { name: texts.from, cell: ({ signsBodiesFrom }) => <Instant at={signsBodiesFrom} /> },
                { name: texts.ends, cell: ({ endsOn }) => (endsOn ? <Instant at={endsOn} /> : '—') },
              ]}
            />
            <Group gap="xs" mt="sm">
              <Confirm label={texts.rotate} title={texts.rotateTitle} question={texts.rotateQuestion} {...rotate.toConfirm()} />
              {rows.length > 1 && (
                <>
                  <Confirm label={texts.promote} title={texts.promoteTitle} question={texts.promoteQuestion} {...promote.toConfirm()} />
                  <Confirm label={texts.retire} title={texts.retireTitle} question={texts.retireQuestion} {...retire.toConfirm()} />
                </>
              )}
              <Confirm label={texts.revoke} title={texts.revokeTitle} question={texts.revokeQuestion} isDangerous {...revoke.toConfirm()} />
            </Group>
          </>
        )}
      </Answer>
      {shown !== null && <WebhookSecret secret={shown} onClose={() => setShown(null)} />}
    </Section>
  )
}

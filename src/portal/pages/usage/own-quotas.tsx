import type { Quota, Whoami } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { operatorTexts } from '../../texts/pages/operator.ts'
import { useQuotaColumns } from './quota-columns.tsx'

/** What the instance may have, and how much of it is used; for administrators. */
export function OwnQuotas() {
  const texts = useTexts(operatorTexts)
  const columns = useQuotaColumns()
  const me = useRead<Whoami>('/auth/me')
  const isAdmin = me.data?.role === 'admin'
  const quotas = useRead<Quota[]>('/usage/quotas', { enabled: isAdmin })
  if (!isAdmin) return null
  return (
    <Section title={texts.quotas}>
      <Answer read={quotas} lines={8}>
        {(rows) => <Grid label={texts.quotas} rows={rows} keyOf={({ name }) => name} empty={{ title: texts.none }} columns={columns} />}
      </Answer>
    </Section>
  )
}

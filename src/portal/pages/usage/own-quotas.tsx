import type { Quota, Whoami } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answer.tsx'
import { Grid } from '../../parts/grid.tsx'
import { Section } from '../../parts/page.tsx'
import { Mark } from '../../parts/status.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { operatorTexts } from '../../texts/pages/operator.ts'

/** What the instance may have, and how much of it is used; for administrators. */
export function OwnQuotas() {
  const texts = useTexts(operatorTexts)
  const formats = useFormats()
  const me = useRead<Whoami>('/auth/me')
  const isAdmin = me.data?.role === 'admin'
  const quotas = useRead<Quota[]>('/usage/quotas', { enabled: isAdmin })
  if (!isAdmin) return null
  const show = ({ name }: Quota, value: number | null) => {
    if (value === null) return '–'
    return name === 'storedBytes' ? formats.bytes(value) : formats.number(value)
  }
  return (
    <Section title={texts.quotas}>
      <Answer read={quotas} lines={8}>
        {(rows) => (
          <Grid
            label={texts.quotas}
            rows={rows}
            keyOf={({ name }) => name}
            empty={{ title: texts.none }}
            columns={[
              {
                name: texts.quota,
                cell: ({ name, isNear }) => (
                  <>
                    {texts.quotaNames[name]} {isNear && <Mark health="busy">{texts.near}</Mark>}
                  </>
                ),
              },
              { name: texts.used, isNumber: true, cell: (quota) => show(quota, quota.used) },
              { name: texts.limit, isNumber: true, cell: (quota) => show(quota, quota.bound) },
            ]}
          />
        )}
      </Answer>
    </Section>
  )
}

import { fdxSubject } from '../../fdx/subject.ts'

export const subject = fdxSubject('fdx-ohio-valley', { isFlat: false, repeatedPage: 'repeatPage' })

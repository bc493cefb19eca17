import type { World } from './world';

/** Worlds of looking after people: health, teaching, emergencies, law. */
export const WORLDS_OF_CARE: readonly World[] = [
  {
    occupations: [
      'dentist', 'dietitian', 'epidemiologist', 'midwife', 'nurse', 'optometrist', 'pharmacist', 'physician',
      'psychologist', 'surgeon', 'therapist', 'veterinarian', 'doctor', 'physiotherapist', 'carer',
    ],
    topics: [
      'the handover notes for the weekend', 'a leaflet on wound care', 'the new appointment schedule',
      'the waiting-list figures', 'a case summary for the review', 'the rota for the holiday weeks',
      'a talk on sleep for families', 'the infection numbers of last month', 'a referral letter',
      'the stock of dressings', 'a checklist for first visits', 'the complaints of the past quarter',
      'a training hour for new staff', 'the follow-up calls',
    ],
    troubles: [
      'a waiting room that never empties', 'forms that ask for the same thing twice', 'shifts that overrun',
      'patients who are told three different things', 'equipment that is promised for next year',
      'decisions taken two floors above the ward',
    ],
    factors: {
      'Person/Group': [
        'Dr. {full}', 'Sister {surname}', 'the {place} Night Shift', 'the {surname} Family', 'the Thursday Case Circle',
        'Matron {full}', 'the {place} Patients\' Council', 'the First-Year Trainees',
      ],
      'Organization/Institution': [
        'the {place} Regional Health Board', '{place} General Hospital', 'the {surname} Trust for Rare Diseases',
        'the {place} Community Clinic', 'the Professional Conduct Council', 'the {place} School of Nursing',
      ],
      'Object/Artifact': [
        'the Blue Admission Folder', 'the {surname} Skills Mannequin', 'the Ward Whiteboard', 'the Emergency Drug Trolley',
        'the Hand-Drawn Anatomy Chart', 'the {place} Vaccine Fridge',
      ],
      'Content/Media': [
        'the {place} Care Bulletin', 'the Morning Handover Recording', 'the {surname} Dosage Handbook',
        'the "Ask the Ward" Column', 'the Discharge Leaflet Series', 'the Case Notes Podcast',
      ],
      'Tool/Technology': [
        'MediTrack Records', 'the {surname} Infusion Pump', 'CareLine Scheduler', 'the Tele-Consult Booth',
        'PharmaCheck Database', 'the Portable Ultrasound Unit',
      ],
      'Location/Place': [
        '{place} Outpatient Wing', 'the Fourth-Floor Quiet Room', '{place} Village Surgery', 'the Old Isolation Ward',
        'the Basement Archive', 'the {place} Waiting Hall',
      ],
      'Process/Activity': [
        'the Morning Ward Round', 'the Medication Reconciliation', 'the Incident Debrief', 'the Home Visit Round',
        'the Consent Conversation', 'the Shift Handover',
      ],
      'Event/Time': [
        'the Winter Flu Weeks', 'the {place} Health Fair', 'the Annual Accreditation Visit', 'the Sunday Double Shift',
        'the Mock Emergency Day', 'the {surname} Memorial Lecture',
      ],
    },
  },
  {
    occupations: ['coach', 'professor', 'student', 'teacher', 'tutor', 'lecturer', 'athlete', 'trainer', 'instructor', 'educator'],
    topics: [
      'the exam questions for spring', 'a lesson on percentages', 'the seating plan', 'a report for the parents',
      'the results of the last test', 'a season plan', 'the reading list', 'a letter about the trip',
      'the feedback sheets', 'a workshop for beginners', 'the attendance figures', 'a grant for new equipment',
      'the warm-up routine', 'a farewell speech',
    ],
    troubles: [
      'a timetable that changes overnight', 'pupils who give up one week too early', 'marking that eats the weekend',
      'parents who hear only half', 'a gym roof that leaks', 'budgets that end in October',
    ],
    factors: {
      'Person/Group': [
        'Coach {full}', 'Principal {surname}', 'the {place} Evening Class', 'the Parents\' Round Table', 'Dr. {full}',
        'the Back-Row Debaters', 'the {place} Under-Fifteens', 'the Mentoring Pairs',
      ],
      'Organization/Institution': [
        'the {place} School Board', '{place} Community College', 'the {surname} Scholarship Fund',
        'the Regional Sports Federation', 'the {place} Teachers\' Union', '{place} Youth Academy',
      ],
      'Object/Artifact': [
        'the Dented Trophy Cabinet', 'the Class Logbook', 'the {surname} Stopwatch', 'the Folding Blackboard',
        'the Borrowed Microscope Set', 'the Team Bus Key Ring',
      ],
      'Content/Media': [
        'the {place} Pupils\' Newspaper', 'the Revision Video Series', 'the {surname} Grammar Workbook',
        'the Match Report Archive', 'the Parents\' Newsletter', 'the Lecture Slide Deck',
      ],
      'Tool/Technology': [
        'ClassBoard Portal', 'the Motion Tracker App', 'GradeKeeper', 'the {surname} Plagiarism Checker',
        'the Interactive Whiteboard', 'PaceLog Watch',
      ],
      'Location/Place': [
        'Room 214', 'the {place} Sports Hall', 'the Library Corner', '{place} Track', 'the Old Chemistry Lab',
        'the {place} Boarding House',
      ],
      'Process/Activity': [
        'the Peer Feedback Hour', 'the Weekly Lesson Planning', 'the Oral Examination', 'the Video Analysis Session',
        'the Team Selection', 'the Reading Circle',
      ],
      'Event/Time': [
        'the Open Day', 'the {place} Regional Championship', 'the Last Week Before Grades', 'the Science Night',
        'the Summer Training Camp', 'the Parents\' Evening',
      ],
    },
  },
  {
    occupations: ['detective', 'dispatcher', 'firefighter', 'paramedic', 'pilot', 'police officer', 'rescuer', 'driver', 'sailor', 'soldier'],
    topics: [
      'the incident report from Tuesday', 'a drill for the new crew', 'the response times of last month',
      'the equipment check', 'a briefing for volunteers', 'the shift swap requests', 'a safety talk for schools',
      'the route for the convoy', 'the fuel log', 'a statement for the press', 'the call volumes by hour',
      'a plan for the storm season', 'the maintenance backlog',
    ],
    troubles: [
      'radio silence at the wrong moment', 'reports that are due before anyone has slept', 'maps that are a year too old',
      'budget cuts announced by e-mail', 'a crew that is always one short', 'rules made after the last accident',
    ],
    factors: {
      'Person/Group': [
        'Captain {full}', 'Sergeant {surname}', 'the {place} Volunteer Crew', 'the Blue Watch', 'Chief {full}',
        'the Next of Kin', 'the {place} Night Desk', 'the Probationers',
      ],
      'Organization/Institution': [
        'the {place} Fire and Rescue Service', 'the Civil Aviation Office', '{place} Control Centre',
        'the {surname} Inquiry Board', 'the Coast Guard Station {place}', 'the Emergency Doctors\' Pool',
      ],
      'Object/Artifact': [
        'the Orange Logbook', 'the {surname} Tail Beacon', 'the Spare Radio Set', 'the Evidence Locker',
        'the Crew Room Map', 'the Old Siren',
      ],
      'Content/Media': [
        'the Incident Review Bulletin', 'the {place} Weather Briefing', 'the Cold Case File', 'the Crew Newsletter',
        'the {surname} Field Manual', 'the Emergency Call Recordings',
      ],
      'Tool/Technology': [
        'GridCall Dispatch', 'the Thermal Camera', 'SkyRoute Planner', 'the {surname} Flight Simulator', 'the Dash Recorder',
        'FleetWatch',
      ],
      'Location/Place': [
        '{place} Station Nine', 'the Briefing Room', '{place} Airfield', 'the Harbour Tower', 'the Training Ground',
        'the {place} Interview Room',
      ],
      'Process/Activity': [
        'the Pre-Flight Check', 'the Shift Briefing', 'the Door-to-Door Inquiry', 'the Live Fire Drill',
        'the Post-Incident Review', 'the Night Patrol',
      ],
      'Event/Time': [
        'the {place} Flood Week', 'New Year\'s Eve Duty', 'the Annual Inspection', 'the Storm Season',
        'the {surname} Trial', 'the Public Safety Day',
      ],
    },
  },
  {
    occupations: ['attorney', 'diplomat', 'judge', 'lawyer', 'paralegal', 'notary', 'civil servant', 'politician', 'mediator'],
    topics: [
      'a letter to the other side', 'the draft settlement', 'the witness list', 'the minutes of the hearing',
      'a note on the new statute', 'the filing calendar', 'the billing figures', 'a speech for the reception',
      'the comparison of two rulings', 'a summary for the client', 'the clauses on termination',
      'a plan for the negotiations', 'the evidence index',
    ],
    troubles: [
      'deadlines that fall on holidays', 'clients who hide the one paper that matters', 'judgments no layman can read',
      'negotiations that restart every morning', 'files that arrive in wheelbarrows', 'colleagues who never answer in writing',
    ],
    factors: {
      'Person/Group': [
        'Judge {full}', 'Counsel {surname}', 'the {surname} Heirs', 'the Pro Bono Clients', 'Ambassador {full}',
        'the {place} Jury Pool', 'the Opposing Counsel', 'the Clerks\' Table',
      ],
      'Organization/Institution': [
        'the {place} District Court', '{surname} and Partners', 'the Bar Association', 'the {place} Legal Aid Office',
        'the Treaty Secretariat', 'the {place} Land Registry',
      ],
      'Object/Artifact': [
        'the Red Evidence Binder', 'the {surname} Will', 'the Sealed Exhibit Box', 'the Walnut Conference Table',
        'the Stamp Collection of Seals', 'the Treaty Facsimile',
      ],
      'Content/Media': [
        'the {place} Law Review', 'the Client Newsletter', 'the {surname} Ruling', 'the Hearing Transcripts',
        'the Clause Library', 'the Embassy Press Digest',
      ],
      'Tool/Technology': [
        'CaseHarbour', 'the Citation Checker', 'the {surname} Contract Scanner', 'DocketPilot', 'the Court Filing Portal',
        'the Translation Booth',
      ],
      'Location/Place': [
        'Courtroom Three', 'the {place} Consulate', 'the Reading Room', 'the {place} Holding Cells', 'the Corner Meeting Room',
        'the Courthouse Steps',
      ],
      'Process/Activity': [
        'the Deposition Preparation', 'the Contract Redlining', 'the Plea Negotiation', 'the Legal Clinic Hour',
        'the Jury Selection', 'the File Closing Review',
      ],
      'Event/Time': [
        'the {surname} Hearing', 'the Budget Session', 'the Filing Deadline Friday', 'the {place} Trade Talks',
        'the Opening of the Court Year', 'the Mediation Week',
      ],
    },
  },
];

"""What several rooms do alike: whole files, waiting for services, a steady pace."""

"""`tiny-scenes`: a small text-to-image diffusion model of drawn scenes, trained by this project and stored with it."""
